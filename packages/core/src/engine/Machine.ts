/** One permitted move of a state machine. `from: null` is the birth of a record. `effects` name what the move also does. */
export interface Move<State extends string, Trigger extends string, Effects extends string> {
  readonly from: State | null
  readonly trigger: Trigger
  readonly to: State
  readonly effects: ReadonlyArray<Effects>
}

/** A state machine as data: what is not in the table cannot happen. Tests enumerate it, the docs draw it. */
export interface Machine<State extends string, Trigger extends string, Effects extends string = never> {
  readonly name: string
  readonly states: ReadonlyArray<State>
  readonly triggers: ReadonlyArray<Trigger>
  readonly moves: ReadonlyArray<Move<State, Trigger, Effects>>
}

/** The move that a trigger makes from a state; undefined where the table has none. */
export const moveOf = <S extends string, T extends string, E extends string>(
  machine: Machine<S, T, E>,
  from: S | null,
  trigger: T
): Move<S, T, E> | undefined => machine.moves.find((move) => move.from === from && move.trigger === trigger)

/** Draws the table as a Mermaid state diagram. */
export const drawMermaid = <S extends string, T extends string, E extends string>(machine: Machine<S, T, E>): string =>
  [
    "stateDiagram-v2",
    ...machine.moves.map(
      ({ from, trigger, to, effects }) => `  ${from ?? "[*]"} --> ${to}: ${[trigger, ...effects].join(" / ")}`
    )
  ].join("\n")
