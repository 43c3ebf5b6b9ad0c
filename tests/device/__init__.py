"""A simulated accelerator for tests: `simulated` is the device, `record` what it tells of a program."""
