import { createPrivateKey, sign } from "node:crypto"
import type { Approval } from "@bursar/core/grant/Approval"
import { noPasskeys } from "@bursar/core/grant/Approval"
import type { Approver } from "@bursar/core/grant/ApproverSet"
import { approvalText } from "@bursar/core/grant/grantHash"
import type { GrantTrust } from "@bursar/core/grant/verifyChain"
import type { Random } from "../kernel/Random.ts"

/** Somebody who approves grants, with the key of a file. */
export interface Person {
  readonly approver: Approver
  readonly approve: (hash: string) => Approval
}

/** The people of a world whose word counts, and what every chain of grants begins with. */
export interface Trust {
  readonly trust: GrantTrust
  /** Those who approve now. */
  people: ReadonlyArray<Person>
  /** Somebody new, with a key that nobody had before. */
  readonly newcomer: () => Person
}

/** The DER in front of the 32 bytes of an Ed25519 private key (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex")

/** A private key of Ed25519. */
export const keyOf = (random: Random) =>
  createPrivateKey({ key: Buffer.concat([pkcs8Head, random.bytes(32)]), format: "der", type: "pkcs8" })

const personOf = (id: string, random: Random): Person => {
  const key = keyOf(random)
  const { x = "" } = key.export({ format: "jwk" })
  return {
    approver: { id, name: id, keys: [{ type: "ed25519", public_key: x }] },
    approve: (hash) => ({
      type: "ed25519",
      key: x,
      signature: sign(null, Buffer.from(approvalText(hash)), key).toString("base64url")
    })
  }
}

/** How many people it takes to raise a risk. */
export const quorum = "2"

/** Three people, two of whom are enough. */
export const makeTrust = (random: Random): Trust => {
  const people = ["ann", "bob", "cleo"].map((id) => personOf(id, random.for(id)))
  let newcomers = 0
  return {
    trust: { root: { approvers: people.map(({ approver }) => approver), quorum, quorums: {} }, passkeys: noPasskeys },
    people,
    newcomer: () => {
      newcomers += 1
      return personOf(`newcomer${newcomers}`, random.for(`newcomer ${newcomers}`))
    }
  }
}
