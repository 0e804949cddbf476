// Shared test doubles land here.
