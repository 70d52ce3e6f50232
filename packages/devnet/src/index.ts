/** Local networks for development and tests. */
export {}
