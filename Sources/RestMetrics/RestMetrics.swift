import Metrics
import RestEngine
