b {}
b {
}
b { a = 1 }
b { a = [
1
] }
resource "aws_x" "y" {
  a = 1
  b {
    c = 2
  }
  b {
  }
}

resource aws_x y {
}
dynamic "x" {
 for_each = y
 content {
 a = x.value
 }
}
