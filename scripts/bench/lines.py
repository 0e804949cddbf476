"""Lines of the report, and the names of contestants in them."""

from measure import median
from world import Unavailable

OURS = "resthost"
# Another build of resthost. It is no partner; its figures are shown beside the others.
BEFORE = "before"


def line(row, what, unit, target, figures, reasons=None, ratio=None, notes=()):
    """One line of the report. `figures` is name → list. The ratio compares ours with the best partner unless it is
    given."""
    medians = {name: median(found) for name, found in figures.items() if found}
    partners = {name: value for name, value in medians.items() if name not in (OURS, BEFORE)}
    best = None
    if partners:
        best = (min if target.startswith("≤") else max)(partners, key=partners.get)
    if ratio is None and OURS in medians and best:
        ratio = medians[OURS] / partners[best]
    notes = list(notes) + [f"{name}: {reason}" for name, reason in (reasons or {}).items()]
    return {"row": row, "what": what, "unit": unit, "target": target, "figures": figures, "medians": medians,
            "best_partner": best, "ratio": ratio, "notes": notes}


def started(contestants):
    """Runs every start function. Those that can't start give their reason."""
    urls, reasons = {}, {}
    for name, start in contestants.items():
        try:
            urls[name] = start()
        except Unavailable as reason:
            reasons[name] = str(reason)
    return urls, reasons
