import RestEngine
import Tracing
