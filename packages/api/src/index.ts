/** The HTTP contract: endpoint groups, wire schemas, the error catalogue. */
export {}
