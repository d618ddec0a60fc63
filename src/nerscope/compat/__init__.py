"""Other tools' doors: what their users expect to see; the package loads its own."""

from nerscope.compat import conlleval as conlleval
