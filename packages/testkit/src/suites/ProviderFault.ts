/**
 * How a provider lets its caller down, until it is healed: `silent` breaks every connection, `garbage` answers 200 with
 * nonsense, `failing` answers 503, and `lost` does what changes something and then breaks the connection instead of
 * answering; mere questions it answers.
 */
export type ProviderFault = "silent" | "garbage" | "failing" | "lost"

/** Those that do nothing of what they are asked. */
export const deafFaults: ReadonlyArray<ProviderFault> = ["silent", "garbage", "failing"]
