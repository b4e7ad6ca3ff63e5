/// The element that would be at index `k` if `values` were sorted; reorders them (Hoare's quickselect).
func select(_ k: Int, of values: inout [Float]) -> Float {
  var (left, right) = (0, values.count - 1)
  while left < right {
    let pivot = values[(left + right) / 2]
    var (i, j) = (left, right)
    while i <= j {
      while values[i] < pivot { i += 1 }
      while values[j] > pivot { j -= 1 }
      if i <= j {
        values.swapAt(i, j)
        i += 1
        j -= 1
      }
    }
    if k <= j {
      right = j
    } else if k >= i {
      left = i
    } else {
      break
    }
  }
  return values[k]
}

/// The value below which the share `fraction` (0–1) of `values` lies; zero when there are none.
func quantile(_ fraction: Float, of values: [Float]) -> Float {
  guard !values.isEmpty else { return 0 }
  var values = values
  return select(min(Int(Float(values.count) * fraction), values.count - 1), of: &values)
}
