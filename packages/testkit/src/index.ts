/** Contract suites of the ports, generators, fixtures. */
export {}
