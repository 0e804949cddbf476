import RestLifecycle
import RestLogging
import RestMetrics
import RestTracing
import Testing
