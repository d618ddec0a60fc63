"""All built-in formats but columns: importing this makes them known."""

from nerscope.formats import arrow as arrow
from nerscope.formats import brat as brat
from nerscope.formats import conllu as conllu
from nerscope.formats import docbin as docbin
from nerscope.formats import huggingface as huggingface
from nerscope.formats import jsonl as jsonl
from nerscope.formats import strings as strings
from nerscope.formats import webanno as webanno
