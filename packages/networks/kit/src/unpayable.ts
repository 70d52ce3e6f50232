import type { Preflight } from "@bursar/core/port/ChainSender"

type Unpayable = Extract<Preflight, { readonly _tag: "Unpayable" }>

/** The receiver cannot be paid: a code for programs, and the reason in words for the caller. */
export const unpayable = (code: Unpayable["code"], message: string): Unpayable => ({ _tag: "Unpayable", code, message })
