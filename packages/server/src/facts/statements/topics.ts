export const topics = [
  'identity',
  'people',
  'home',
  'work',
  'health',
  'preferences',
  'possessions',
  'plans',
  'projects',
  'other',
] as const
export type Topic = (typeof topics)[number]
