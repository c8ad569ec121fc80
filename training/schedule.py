"""Training for a given time."""

import time


def timed_steps(optimizer, rate, seconds, warm, least):
    """Yields (step, seconds so far) until the time is up. Sets the rate for each step: it rises for `warm` steps and falls with the
    time, but not below `least` of itself."""
    began, step = time.time(), 0
    while (passed := time.time() - began) < seconds:
        for settings in optimizer.param_groups:
            settings["lr"] = rate * min(1, (step + 1) / warm) * max(least, 1 - passed / seconds)
        yield step, passed
        step += 1
