const channel = new BroadcastChannel("bursar.session")

/** Tells the other windows of the browser that somebody has signed in: they share the session. */
export const tellOtherWindows = (): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin, and takes none
  channel.postMessage(null)
}

/** Calls back when somebody has signed in in another window of the browser. Returns how to stop. */
export const onSignedInElsewhere = (listener: () => void): (() => void) => {
  channel.addEventListener("message", listener)
  return () => channel.removeEventListener("message", listener)
}
