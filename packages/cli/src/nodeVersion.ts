/** The oldest Node that the service runs on, by its major version: that of `engines`. */
const oldestNode = 22

/** Why the service does not run on this version of Node, such as `20.19.0`; undefined where it does. */
export const nodeRefusal = (version: string): string | undefined =>
  Number.parseInt(version, 10) >= oldestNode
    ? undefined
    : `Bursar needs Node ${oldestNode} or newer; this is Node ${version}.`

/**
 * Ends the process with one line on a Node that is too old. To be called before anything else is loaded, for what is loaded may
 * need what an older Node does not have.
 */
export const requireNode = (): void => {
  const refusal = nodeRefusal(process.versions.node)
  if (refusal === undefined) return
  process.stderr.write(`${refusal}\n`)
  process.exit(1)
}
