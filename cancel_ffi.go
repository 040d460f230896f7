// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

var (
	// paimon_result_cancel_token paimon_cancel_token_new(void);
	ffiCancelTokenNew = bind0[result[cCancelToken]]("paimon_cancel_token_new")
	// void paimon_cancel_token_enter(const paimon_cancel_token*);
	ffiCancelTokenEnter = bind1[void, *cCancelToken]("paimon_cancel_token_enter")
	// paimon_error* paimon_cancel_token_cancel(const paimon_cancel_token*);
	ffiCancelTokenCancel = bind1[*cError, *cCancelToken]("paimon_cancel_token_cancel")
	// void paimon_cancel_token_free(paimon_cancel_token* token);
	ffiCancelTokenFree = bind1[void, *cCancelToken]("paimon_cancel_token_free")
)

// enter makes the native calls of this goroutine end early when ctx does, until leave, which also says in the error of the call that
// ctx was the reason. The native side knows a caller by its thread, so the goroutine keeps its thread meanwhile.
func (l *library) enter(ctx context.Context, op, object string) (leave func(*error), err error) {
	if err := checkContext(ctx, op, object); err != nil {
		return nil, err
	}
	if ctx.Done() == nil {
		return func(*error) {}, nil
	}
	token, err := adopt(l, ffiCancelTokenFree, op, object, func() (result[cCancelToken], error) { return ffiCancelTokenNew.call(l) })
	if err != nil {
		return nil, err
	}
	for _, needed := range []*symbol{ffiCancelTokenEnter.symbol, ffiCancelTokenCancel.symbol} {
		if _, err := l.resolve(needed); err != nil {
			token.close()
			return nil, withOp(err, op, object)
		}
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_, _ = ffiCancelTokenCancel.call(l, token.ptr)
	})
	runtime.LockOSThread()
	_, _ = ffiCancelTokenEnter.call(l, token.ptr)
	return func(err *error) {
		_, _ = ffiCancelTokenEnter.call(l, nil)
		runtime.UnlockOSThread()
		if !stop() {
			<-ended
		}
		token.close()
		*err = ofContext(*err, ctx)
	}, nil
}

// checkContext gives the error of a call that begins when its context has ended.
func checkContext(ctx context.Context, op, object string) error {
	if ctx == nil {
		return invalidInput(op, object, "the context is nil")
	}
	if ctx.Err() != nil {
		return ofContext(&Error{op: op, object: object, code: CodeCancelled}, ctx)
	}
	return nil
}

// ofContext makes the end of ctx the cause of an error, if the call was called off.
func ofContext(err error, ctx context.Context) error {
	var e *Error
	if !errors.As(err, &e) || e.code != CodeCancelled && e.kind != ErrOutcomeUnknown || e.cause != nil || ctx.Err() == nil {
		return err // of another reason, or of an earlier call, which says it
	}
	caused := *e
	caused.cause = ctx.Err()
	if cause := context.Cause(ctx); cause != ctx.Err() {
		caused.cause = fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	if caused.code == CodeCancelled {
		caused.message = caused.cause.Error()
	} else {
		caused.message += " (" + caused.cause.Error() + ")"
	}
	return &caused
}

// A turn is a lock that is waited for without a thread, and no longer than a context lasts. A nil turn is everybody's.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context, op, object string) error {
	if err := checkContext(ctx, op, object); err != nil || t == nil {
		return err
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return checkContext(ctx, op, object)
	}
}

func (t turn) leave() {
	if t != nil {
		<-t
	}
}
