import Tracing
import RestEngine
