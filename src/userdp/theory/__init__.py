"""What is known of a mechanism from outside: audits of its loss, rates, bounds, plans and exact risks."""

from userdp.theory import (
    audit,
    dame_bounds,
    exact_counts,
    exact_dame,
    exact_density,
    exact_histograms,
    exact_mean,
    improved_plan,
    infinite_records,
    mean_given_users,
    rates,
    runs,
    sampled_audit,
    sampled_steps,
)
from userdp.theory.audit import *
from userdp.theory.dame_bounds import *
from userdp.theory.exact_counts import *
from userdp.theory.exact_dame import *
from userdp.theory.exact_density import *
from userdp.theory.exact_histograms import *
from userdp.theory.exact_mean import *
from userdp.theory.improved_plan import *
from userdp.theory.infinite_records import *
from userdp.theory.mean_given_users import *
from userdp.theory.rates import *
from userdp.theory.runs import *
from userdp.theory.sampled_audit import *
from userdp.theory.sampled_steps import *

__all__ = [
    *audit.__all__,
    *dame_bounds.__all__,
    *exact_counts.__all__,
    *exact_dame.__all__,
    *exact_density.__all__,
    *exact_histograms.__all__,
    *exact_mean.__all__,
    *improved_plan.__all__,
    *infinite_records.__all__,
    *mean_given_users.__all__,
    *rates.__all__,
    *runs.__all__,
    *sampled_audit.__all__,
    *sampled_steps.__all__,
]
