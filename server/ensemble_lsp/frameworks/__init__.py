"""Test frameworks: where a project keeps tests of a file, in which form, and how a file of them is taken apart.

One `Framework` for each: pytest and unittest (`python_tests`), vitest and jest (`script_tests`), Go's own (`go_tests`).
Which one a project uses is found by `finding`. Nothing here touches the disk or starts a process: texts are passed in.
How each is run stands in `checks.test_runners`, under the same name.
"""
