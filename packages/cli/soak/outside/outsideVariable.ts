/** The variable with the address at which a process reaches its providers. */
export const outsideVariable = "SOAK_OUTSIDE_URL"
