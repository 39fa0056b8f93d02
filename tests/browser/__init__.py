"""The console and the admin in a real browser, with the portal in a process of its own."""

PASSWORD = "a long test password"
