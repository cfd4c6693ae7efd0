"""Text as drawwell sees it: formats to blocks, blocks to sections, offsets, tokens, matching. Pure, no I/O."""
