"""How other tools would score the same labels, by nerscope's implementation of their rules."""

from nerscope.compat.peers.compare import ToolComparison as ToolComparison
from nerscope.compat.peers.compare import compare_tools as compare_tools
from nerscope.compat.peers.tools import PEERS as PEERS
from nerscope.compat.peers.tools import ToolJudgement as ToolJudgement
from nerscope.compat.peers.tools import judged_by as judged_by
