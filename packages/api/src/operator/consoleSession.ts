/**
 * The header by which the console says that a request is its own. A page of another site cannot set it without asking first, and is never
 * allowed to: a session's cookie alone changes nothing.
 */
export const consoleHeader = "x-bursar-console"

/**
 * The header by which the console says whom its page shows as signed in. Windows of a browser share the session: where somebody else has
 * signed in in another one, what this page asks for is not done under their name.
 */
export const shownHeader = "x-bursar-shown"
