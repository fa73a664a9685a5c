"""What is known of a mechanism from outside: audits of its loss, rates, bounds, plans and exact risks."""

from userdp._face import offered
from userdp.theory.audit import *
from userdp.theory.calibration import *
from userdp.theory.dame_bounds import *
from userdp.theory.exact_counts import *
from userdp.theory.exact_dame import *
from userdp.theory.exact_density import *
from userdp.theory.exact_histograms import *
from userdp.theory.exact_mean import *
from userdp.theory.exact_sensitivity import *
from userdp.theory.ideal_mean import *
from userdp.theory.improved_plan import *
from userdp.theory.infinite_records import *
from userdp.theory.least_risk import *
from userdp.theory.mean_given_users import *
from userdp.theory.printed_weights import *
from userdp.theory.rates import *
from userdp.theory.runs import *
from userdp.theory.sampled_audit import *
from userdp.theory.sampled_steps import *
from userdp.theory.searched_mean import *
from userdp.theory.user_windows import *

__all__ = offered(__name__)
