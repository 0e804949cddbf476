/// A message with the place that was written before it.
struct Place {
    var file: String?
    var line: Int?
    var message: String
}
