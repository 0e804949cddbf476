import Logging
import RestEngine
