/** A filter of a list that an operator keeps: the query of its page's address. */
export type SavedFilterTable = {
  operator: string;
  page: string;
  name: string;
  query: string;
  saved_at: Date;
};
