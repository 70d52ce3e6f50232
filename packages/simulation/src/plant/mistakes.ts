import { bankMistakes } from "./bankMistakes.ts"
import { bookingMistakes } from "./bookingMistakes.ts"
import { chainMistakes } from "./chainMistakes.ts"
import { importMistakes } from "./importMistakes.ts"
import { nodeMistakes } from "./nodeMistakes.ts"
import { outputMistakes } from "./outputMistakes.ts"
import { quoteMistakes } from "./quoteMistakes.ts"
import { trustMistakes } from "./trustMistakes.ts"

/** Mistakes that a service may have, each put into it from outside. */
export const mistakes = {
  ...chainMistakes,
  ...outputMistakes,
  ...nodeMistakes,
  ...quoteMistakes,
  ...bankMistakes,
  ...bookingMistakes,
  ...importMistakes,
  ...trustMistakes
}

/** The name of a mistake. */
export type Mistake = keyof typeof mistakes
