export interface Session {
  readonly name: string
  readonly topic: string
}
export interface Answer {
  readonly run: string
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}
export function loadSessions(dir?: string): Promise<Session[]>
export function runSession(session: Session, server: string): Promise<Answer[]>
export function compare(got: readonly Answer[], want: readonly Answer[]): string[]
