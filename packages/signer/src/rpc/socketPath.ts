import { Effect, Schema } from "effect"
import { chmodSync, lstatSync, rmSync, type Stats } from "node:fs"
import { connect } from "node:net"
import { dirname } from "node:path"

/** The signer cannot listen where it was told to. */
export class SignerAddressUnsafe extends Schema.TaggedError<SignerAddressUnsafe>()("SignerAddressUnsafe", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The signer does not listen: ${this.reason}`
  }
}

const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

const othersWrite = 0o022

const isAnswered = (path: string) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(path)
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
  })

/** Why nobody should listen in a directory: whoever may write there can put a socket of their own in the place of ours. */
const directoryFault = (path: string): string | undefined => {
  const directory = dirname(path)
  const stat = statOf(directory)
  const me = process.getuid?.() ?? 0
  if (stat === undefined || !stat.isDirectory()) return `${directory} is no directory.`
  if (stat.uid !== me && stat.uid !== 0) return `${directory} belongs to another user.`
  return (stat.mode & othersWrite) === 0
    ? undefined
    : `others may write ${directory}; take that right away (chmod go-w).`
}

/** Makes room for a socket: refuses a directory that others may write, a file that is no socket, and a signer that answers there. */
export const clearSocketPath = Effect.fnUntraced(function* (path: string): Effect.fn.Return<void, SignerAddressUnsafe> {
  const fault = directoryFault(path)
  if (fault !== undefined) return yield* new SignerAddressUnsafe({ reason: fault })
  const there = statOf(path)
  if (there === undefined) return
  if (!there.isSocket()) return yield* new SignerAddressUnsafe({ reason: `${path} is there, and is no socket.` })
  if (yield* isAnswered(path)) return yield* new SignerAddressUnsafe({ reason: `another signer answers at ${path}.` })
  rmSync(path, { force: true })
})

/** Lets the owner connect, or the group too. */
export const openSocketTo = (path: string, who: "owner" | "group"): void =>
  chmodSync(path, who === "owner" ? 0o600 : 0o660)
