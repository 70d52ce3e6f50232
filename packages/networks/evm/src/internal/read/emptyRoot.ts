/** The root of a trie with nothing in it: what a header says of a list of the block that is empty. */
export const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
