import { bankMistakes } from "./bankMistakes.ts"
import { chainMistakes } from "./chainMistakes.ts"
import { quoteMistakes } from "./quoteMistakes.ts"

/** Mistakes that a service may have, each put into it from outside. */
export const mistakes = { ...chainMistakes, ...quoteMistakes, ...bankMistakes }

/** The name of a mistake. */
export type Mistake = keyof typeof mistakes
