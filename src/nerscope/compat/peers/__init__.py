"""What other tools would say of the same labels, by nerscope's own account of their rules."""

from nerscope.compat.peers.compare import ToolComparison as ToolComparison
from nerscope.compat.peers.compare import compare_tools as compare_tools
from nerscope.compat.peers.table import PEERS as PEERS
from nerscope.compat.peers.table import Judged as Judged
from nerscope.compat.peers.table import judged_by as judged_by
