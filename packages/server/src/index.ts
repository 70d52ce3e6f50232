/** HTTP adapter: the partner API and the operator API. */
export {}
