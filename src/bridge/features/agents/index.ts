import { type Feature, on } from '../../feature.ts';
import { answerInTime } from '../../inbox/answer-in-time.ts';
import { respond } from '../../slack/respond.ts';
import { ratingButtons } from './blocks.ts';
import { isRating, rateAnswer } from './rate-answer.ts';

/** 👍 and 👎 under the answer of an automated agent (B42). */
export const agents: Feature = {
  handlers: [
    on(
      'action',
      (bridge, turn) => {
        const { action } = turn.event;
        return answerInTime(
          bridge,
          turn,
          (answer) => respond(bridge, action.responseUrl, answer),
          { changes: true, outcome: `B42 ${action.actionId}` },
          () => rateAnswer(bridge, action),
        );
      },
      ({ action }) => isRating(action.actionId),
    ),
  ],
  hooks: () => ({ underMessage: ({ id, source }) => (source === 'AGENT' ? [ratingButtons(id)] : []) }),
};
