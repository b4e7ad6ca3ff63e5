// A transform is column-major: its last column is the position.

import SharedWorld

// snippet.transform
let lamp = Transform(translation: [0, 1, -2])
print(lamp.columns.3)  // SIMD4(0, 1, -2, 1)
// snippet.end
