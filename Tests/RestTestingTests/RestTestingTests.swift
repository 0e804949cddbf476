import RestTesting
import Testing
