import RestLogging
import RestMetrics
import RestTracing
import RestLifecycle
import Testing
