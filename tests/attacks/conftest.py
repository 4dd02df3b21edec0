import pytest

from tests.attacks.law import Law


@pytest.fixture
def law(request, capsys):
    """A test ends with `law.judge(n)`; the counts are printed."""
    found = Law(request.node.name)
    yield found
    with capsys.disabled():
        print(f"\n{found}", end=" ")
