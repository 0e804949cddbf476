/// The system's clocks (clock_gettime(2)), read in one place.
package enum ClockReading {
    /// Unix time in seconds; jumps when the clock is set.
    @inline(__always)
    package static var timeOfDay: Double { seconds(of: CLOCK_REALTIME) }

    /// Seconds on a clock that never jumps, from some point in the past.
    @inline(__always)
    package static var uptime: Double { seconds(of: CLOCK_MONOTONIC) }

    /// The same, with the time in which the machine slept: for ages.
    @inline(__always)
    package static var timeSinceBoot: Double {
        #if canImport(Darwin)
            // It goes on in sleep there (clock_gettime(3)).
            seconds(of: CLOCK_MONOTONIC)
        #else
            seconds(of: CLOCK_BOOTTIME)
        #endif
    }

    /// Seconds of a processor that the calling thread has taken.
    package static var threadTime: Double { seconds(of: CLOCK_THREAD_CPUTIME_ID) }

    /// Seconds of processors that all threads of the process have taken.
    package static var processTime: Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    /// Of any clock of the system.
    package static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// A time on the clock that never jumps, until which a thread waits. Here, because a module that is built
/// whole may find the members of `timespec` in a module that can't be imported.
package struct MonotonicDeadline {
    private var time = timespec()

    package init(afterMilliseconds milliseconds: Int32) {
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        time.tv_nsec += Int(milliseconds % 1000) * 1_000_000
        time.tv_sec += Int(milliseconds / 1000) + time.tv_nsec / 1_000_000_000
        time.tv_nsec %= 1_000_000_000
    }

    /// Waits for a condition that goes by this clock; false when the time has come.
    package func wait(
        for condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>
    ) -> Bool {
        #if canImport(Darwin)
            let now = MonotonicDeadline(afterMilliseconds: 0).time
            var left = timespec(tv_sec: time.tv_sec - now.tv_sec, tv_nsec: time.tv_nsec - now.tv_nsec)
            if left.tv_nsec < 0 {
                left.tv_sec -= 1
                left.tv_nsec += 1_000_000_000
            }
            return unsafe left.tv_sec >= 0
                && pthread_cond_timedwait_relative_np(condition, mutex, &left) == 0
        #else
            var time = time
            return unsafe pthread_cond_timedwait(condition, mutex, &time) == 0
        #endif
    }
}

/// A day of the Gregorian calendar, and its number since 1 January 1970.
package struct CivilDay: Equatable, Sendable {
    package var year: Int64
    /// January is 1.
    package var month: Int
    /// The first day of a month is 1.
    package var day: Int

    package init(year: Int64, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Years are counted from March here, so that the leap day is the last of its year.
    package init(number: Int64) {
        let shifted = number + 719_468
        let era = shifted.floor(146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * month + 2) / 5 + 1)
        self.month = Int(month < 10 ? month + 3 : month - 9)
        year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
    }

    /// Days since 1 January 1970.
    package var number: Int64 {
        let year = month <= 2 ? self.year - 1 : self.year
        let era = year.floor(400)
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// 0 is Sunday.
    package static func weekday(ofNumber number: Int64) -> Int {
        Int((number + 4) - (number + 4).floor(7) * 7)
    }

    package static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    package static func length(ofMonth month: Int, in year: Int64) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    /// Divided, and rounded down; `divisor` is positive.
    package func floor(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    /// Divided, and rounded up.
    package func ceiling(_ divisor: Int64) -> Int64 { -(-self).floor(divisor) }
}

/// Seconds and nanoseconds of a time; here for the same reason as ``MonotonicDeadline``.
package func timeParts(of time: timespec) -> [Int] { [Int(time.tv_sec), Int(time.tv_nsec)] }
