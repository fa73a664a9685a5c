import pytest

from userdp.privacy.guarantee import Guarantee, disjoint, nothing_spent, sequential


def test_sequential_releases_add():
    total = sequential(Guarantee(0.5, 1e-6), Guarantee(0.25, 1e-7))
    assert (total.epsilon, total.delta) == (0.75, 1.1e-6)


def test_a_user_in_one_of_two_groups_pays_the_larger():
    assert disjoint(Guarantee(0.5), Guarantee(0.25)) == Guarantee(0.5)


def test_what_spends_nothing_adds_nothing():
    assert nothing_spent() == Guarantee(0, 0, "local", "replace") and Guarantee(1).delta == 0
    spent = Guarantee(0.5, 1e-6, "central", "add-remove")
    nothing = nothing_spent(trust="central", neighbours="add-remove")
    assert sequential(spent, nothing) == disjoint(nothing, spent) == spent


def test_delta_never_exceeds_one():
    assert sequential(Guarantee(1, 0.7), Guarantee(1, 0.7)).delta == 1


@pytest.mark.parametrize("compose", [sequential, disjoint])
def test_unlike_guarantees_do_not_combine(compose):
    with pytest.raises(ValueError, match="trust and neighbours"):
        compose(Guarantee(1), Guarantee(1, trust="central"))
    with pytest.raises(ValueError, match="guarantees must not be empty"):
        compose()
