@main
struct Resthost {
    static func main() {}
}
