2import {
  to = a.b
  identity = { n = "x" }
}
