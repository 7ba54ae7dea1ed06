"""S3-FIFO, a policy of caches, as a rule of a user."""

from collections import OrderedDict

from sansim.rules import Block, Number, Rule


class S3Fifo(Rule):
    """S3-FIFO (Yang et al., SOSP 2023): what is not used again in a small queue leaves soon."""

    small = Number(0.1, least=0, most=1)

    def start(self, random):
        self._small, self._main, self._left = OrderedDict(), OrderedDict(), OrderedDict()
        self._queue_of, self._uses, self._is_full, self._returns = {}, {}, False, False

    def inserted(self, block):
        queue = self._main if self._returns or self._left.pop(block, False) else self._small
        self._queue_of[block], self._uses[block], queue[block] = queue, 0, True
        self._returns = False

    def used(self, block):
        self._uses[block] += 1

    def held(self, block):
        self._queue_of[block].pop(block, None)

    def released(self, block, young):
        self._queue_of[block][block] = True

    def removed(self, block):
        self._queue_of.pop(block).pop(block, None)
        del self._uses[block]

    def decide(self, view):
        self._returns = self._left.pop(view.coming, False)
        room = int(self.small * view.capacity)
        while not self._is_full and len(self._small) > room:
            block, _ = self._small.popitem()
            self._to_main(block, self._uses[block], last=False)
        self._is_full = True
        while True:
            if self._small and len(self._main) <= view.capacity - room:
                block, _ = self._small.popitem(last=False)
                if self._uses[block] < 2:
                    self._left[block] = True
                    if len(self._left) > int(0.9 * view.capacity):
                        self._left.popitem(last=False)
                    return Block(block)
                self._to_main(block)
            else:
                block, _ = self._main.popitem(last=False)
                if not self._uses[block]:
                    return Block(block)
                self._to_main(block, min(self._uses[block], 3) - 1)

    def _to_main(self, block, uses=0, last=True):
        self._queue_of[block], self._uses[block], self._main[block] = self._main, uses, True
        self._main.move_to_end(block, last=last)
