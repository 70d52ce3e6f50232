/** The form of an id of ours: a UUID (RFC 9562) in lower case, with its hyphens. */
export const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

/** Whether a text has the form of an id of ours. What has not, names nothing that we have. */
export const isUuid = (text: string): boolean => uuidPattern.test(text)
