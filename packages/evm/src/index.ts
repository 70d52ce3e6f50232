/** Chain adapter for ethereum, bsc and base. */
export {}
