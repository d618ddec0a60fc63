"""Other tools' doors: what their users expect to see."""
