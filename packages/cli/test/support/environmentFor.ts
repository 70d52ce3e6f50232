import { notOfSigner, ofSignerAlone } from "../../src/config/Settings.ts"

/** An environment. */
export type Variables = Readonly<Record<string, string>>

/** What each process must not have of the environment of a whole service. */
const notOf = {
  serve: new Set([...ofSignerAlone, "SIGNER_STORE"]),
  work: new Set([...ofSignerAlone, "SIGNER_STORE", "KEY_PEPPER", "OPERATOR_TOKEN", "OPERATORS"]),
  sign: notOfSigner
} as const

/** The part of a service's environment that one of its processes has. */
export const environmentFor = (role: keyof typeof notOf, env: Variables): Variables =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !notOf[role].has(name)))
