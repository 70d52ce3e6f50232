const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u

/** Whether a text can be the id of a record that we made. What cannot be is simply not there. */
export const isId = (text: string): boolean => canonical.test(text)
