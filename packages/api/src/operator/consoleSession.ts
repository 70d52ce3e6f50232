/**
 * The header by which the console says that a request is its own. A page of another site cannot set it without asking first, and is never
 * allowed to: a session's cookie alone changes nothing.
 */
export const consoleHeader = "x-bursar-console"
